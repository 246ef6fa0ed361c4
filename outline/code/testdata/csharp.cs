namespace N
{
    public class Store<T> : Base, IStore<T> where T : class
    {
        public async Task<T> GetAsync<T>(string key)
        {
        }
        public T Get<K, V>(K k) where K : A, B
        {
        }
        public Store(int a) : base(a, 1)
        {
        }
        public int Size => 3;
    }
}
