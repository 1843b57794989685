// ES 1.00, 9: Statements stand in functions.
#version 100
precision mediump float;
float a = 1.0;
a = 2.0; //~ error
if (true) {} //~ error
for (;;) {} //~ error
return; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
