// ES 1.00, 7.2: gl_FragCoord is not written.
#version 100
precision mediump float;
void f(out float a) { a = 1.0; }

void main() {
    gl_FragCoord = vec4(1.0); //~ error
    gl_FragCoord.x += 1.0; //~ error
    f(gl_FragCoord.y); //~ error
}
