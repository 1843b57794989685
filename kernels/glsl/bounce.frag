// The curve of a ball that bounces: code with returns in branches.
precision mediump float;
varying vec2 vUv;

float bounceOut(float t) {
    if (t < 4.0 / 11.0) return 121.0 * t * t / 16.0;
    if (t < 8.0 / 11.0) return (363.0 / 40.0 * t * t) - (99.0 / 10.0 * t) + 17.0 / 5.0;
    if (t < 9.0 / 10.0) return (4356.0 / 361.0 * t * t) - (35442.0 / 1805.0 * t) + 16061.0 / 1805.0;
    return (54.0 / 5.0 * t * t) - (513.0 / 25.0 * t) + 268.0 / 25.0;
}

void main() {
    float d = abs(vUv.y - bounceOut(vUv.x));
    gl_FragColor = mix(vec4(1.0), vec4(0.1, 0.2, 0.4, 1.0), smoothstep(0.03, 0.0, d));
}
