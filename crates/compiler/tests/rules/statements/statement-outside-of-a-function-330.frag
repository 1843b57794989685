// GLSL 3.30, 9: Statements stand in functions.
#version 330
out vec4 color;
float a = 1.0;
a = 2.0; //~ error
if (true) {} //~ error
for (;;) {} //~ error
return; //~ error

void main() {
    color = vec4(1.0);
}
