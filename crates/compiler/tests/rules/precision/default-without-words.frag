// ES 1.00, 4.5.3: `precision` needs a precision and a type.
#version 100
precision mediump float;
precision float; //~ error: expected `lowp`, `mediump` or `highp` after `precision`, found `float`
precision highp; //~ error: expected a type, found `;`
precision; //~ error: expected a type, found `precision`

void main() {
    gl_FragColor = vec4(1.0);
}
