// ES 1.00, 4.2.2: A name does not count after its block.
#version 100
precision mediump float;
void main() {
    {
        float a = 1.0;
    }
    gl_FragColor = vec4(a); //~ error: there is no variable `a`
}
