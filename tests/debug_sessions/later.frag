// The second store of `x` has no register.
varying vec2 uv;
void main() {
    float x = fract(uv.x * 3.0);
    float y = x;
    x = x * uv.y;
    gl_FragColor = vec4(y, x + y, sqrt(y), 1.0);
}
