precision highp float;
uniform float gain;
uniform float limit;
void main() {
    float back = -gain;
    float far = gl_FragCoord.x - 4.0;
    float size = abs(far);
    gl_FragColor = vec4(back * far, min(size, limit), size, far);
}
