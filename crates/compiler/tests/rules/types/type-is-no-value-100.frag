// ES 1.00, 5: A type alone is no value.
#version 100
precision mediump float;
void main() {
    float a = float; //~ error: expected `(` after the type of a constructor, found `;`
    gl_FragColor = vec4; //~ error: expected `(` after the type of a constructor, found `;`
}
