// ES 1.00, 4.5.3: `precision` needs a precision and a type.
#version 100
precision mediump float;
precision float; //~ error
precision highp; //~ error
precision; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
