/// <summary>
/// A store
/// </summary>
[Route(
    "x"
)]
[Other]
public class A
{
    // One.
    [Get] public void One() { }
    int x = 1;
    public void Two() { }
}
