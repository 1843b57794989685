// GLSL 3.30, 7.3: The machine has four outputs.
#version 330
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
layout(location = 3) out vec4 d;
layout(location = 4) out vec4 e; //~ error: output 4 of `e` is out of range: there are 4 outputs

void main() {
    a = b = c = d = e = vec4(1.0);
}
