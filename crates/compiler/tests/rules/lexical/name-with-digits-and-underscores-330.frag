// GLSL 3.30, 3.7: A name begins with a letter or an underscore; digits may follow.
// value: 1 2 3 4
#version 330
out vec4 color;
void main() {
    float _a = 1.0, b2 = 2.0, c_3_ = 3.0, _4 = 4.0;
    color = vec4(_a, b2, c_3_, _4);
}
