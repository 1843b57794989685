// GLSL 1.50, 3.3: The compatibility profile keeps what older versions have.
// value: 1 0 0 1
#version 150 compatibility
void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
