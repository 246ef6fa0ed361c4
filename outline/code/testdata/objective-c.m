@interface Foo : NSObject <Bar>
- (void)run:(int)a with:(NSString *)b;
@end
@implementation Foo
- (void)run:(int)a
       with:(NSString *)b {
    int x = 1;
}
+ (id)shared
{
}
static int helper(int a) {
}
@end
