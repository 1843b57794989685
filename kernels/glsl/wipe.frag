// A transition between two pictures along a soft circle.
precision highp float;
varying vec2 vUv;
uniform sampler2D from, to;
uniform float progress, ratio, smoothness;

vec4 transition(vec2 uv) {
    float d = length((uv - 0.5) * vec2(1.0, 1.0 / ratio)) * 1.414;
    float m = smoothstep(-smoothness, 0.0, d - progress * (1.0 + smoothness));
    return mix(texture2D(to, uv), texture2D(from, uv), m);
}

void main() {
    gl_FragColor = transition(vUv);
}
