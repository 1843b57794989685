// ES 1.00, 4.5.3: A fragment shader has no default precision for floats: drivers refuse a float without one, here
// it is a warning.
// value: 1 0 0 1
#version 100
void main() {
    float a = 1.0; //~ warning
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
