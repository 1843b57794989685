// A colour map of five colours: a chain of conditions.
precision mediump float;
varying vec2 vUv;

vec4 map(float x) {
    const float e0 = 0.0; const vec4 v0 = vec4(0.0, 0.0, 0.2, 1.0);
    const float e1 = 0.25; const vec4 v1 = vec4(0.3, 0.0, 0.6, 1.0);
    const float e2 = 0.5; const vec4 v2 = vec4(0.9, 0.2, 0.2, 1.0);
    const float e3 = 0.8; const vec4 v3 = vec4(1.0, 0.8, 0.1, 1.0);
    const float e4 = 1.0; const vec4 v4 = vec4(1.0, 1.0, 0.9, 1.0);
    float a0 = smoothstep(e0, e1, x), a1 = smoothstep(e1, e2, x), a2 = smoothstep(e2, e3, x), a3 = smoothstep(e3, e4, x);
    return max(mix(v0, v1, a0) * step(e0, x) * step(x, e1),
        max(mix(v1, v2, a1) * step(e1, x) * step(x, e2),
            max(mix(v2, v3, a2) * step(e2, x) * step(x, e3), mix(v3, v4, a3) * step(e3, x) * step(x, e4))));
}

void main() {
    gl_FragColor = map(clamp(vUv.x + 0.1 * sin(vUv.y * 20.0), 0.0, 1.0));
}
