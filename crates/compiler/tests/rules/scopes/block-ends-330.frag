// GLSL 3.30, 4.2.2: A name does not count after its block.
#version 330
out vec4 color;
void main() {
    {
        float a = 1.0;
    }
    color = vec4(a); //~ error: there is no variable `a`
}
