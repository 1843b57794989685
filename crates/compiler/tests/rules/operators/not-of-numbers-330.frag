// GLSL 3.30, 5.9: `!` is for bool.
#version 330
out vec4 color;
void main() {
    bool a = !1; //~ error: `!` takes a `bool`, not `int`
    bool b = !1.0; //~ error: `!` takes a `bool`, not `float`
    bvec2 c = !bvec2(true); //~ error: `!` takes a `bool`, not `bvec2`
}
