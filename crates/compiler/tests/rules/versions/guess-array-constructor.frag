// GLSL, 1.10: Without `#version` a constructor of an array is a warning.
// value: 1 2 0 1
void main() {
    float a[2] = float[2](1.0, 2.0); //~ warning: GLSL 1.10 has no constructors of arrays; assign the elements one by one; without `#version` the source is read as GLSL 1.10
    gl_FragColor = vec4(a[0], a[1], 0.0, 1.0);
}
