// ES 1.00, 5.10: A const parameter is not a constant expression.
#version 100
precision mediump float;
float f(const int n) {
    float a[n]; //~ error
    const int m = n; //~ error
    return 1.0;
}

void main() {
    gl_FragColor = vec4(1.0);
}
