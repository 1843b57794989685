// GLSL 3.30, 4.4: An out parameter that is not written leaves its argument undefined.
#version 330
out vec4 color;
void f(out float a) { //~ warning: the `out` parameter `a` is never written; its argument is then undefined: assign a value to it
}

void main() {
    float a = 1.0;
    f(a);
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
