// ES 1.00, 6.4: A function with a result whose end is reached gives no value.
#version 100
precision mediump float;
float f(float x) { //~ warning
    x * 2.0;
}

void main() {
    gl_FragColor = vec4(f(1.0));
}
