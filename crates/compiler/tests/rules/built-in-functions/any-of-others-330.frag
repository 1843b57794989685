// GLSL 3.30, 8.6: any, all and not take vectors of bools.
#version 330
out vec4 color;
void main() {
    bool a = any(vec2(1.0)); //~ error
    bool b = all(true); //~ error
    bool c = not(true); //~ error
    bool d = any(ivec2(1)); //~ error
}
