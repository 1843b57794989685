// GLSL 3.30, 9: Statements occur only in functions.
#version 330
out vec4 color;
float a = 1.0;
a = 2.0; //~ error: expected the name of a variable, found `=`
if (true) {} //~ error: expected a type, found `if`
for (;;) {} //~ error: expected a type, found `for`
return; //~ error: expected a type, found `return`

void main() {
    color = vec4(1.0);
}
