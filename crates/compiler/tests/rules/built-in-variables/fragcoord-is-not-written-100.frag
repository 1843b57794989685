// ES 1.00, 7.2: gl_FragCoord is not written.
#version 100
precision mediump float;
void f(out float a) { a = 1.0; }

void main() {
    gl_FragCoord = vec4(1.0); //~ error: `gl_FragCoord` is an input of the shader, and cannot be written to
    gl_FragCoord.x += 1.0; //~ error: `gl_FragCoord` is an input of the shader, and cannot be written to
    f(gl_FragCoord.y); //~ error: `gl_FragCoord` is an input of the shader, and cannot be written to
}
