// A sky: three colours over the height, and a sun.
precision mediump float;
varying vec2 vUv;
uniform vec3 ground, horizon, zenith;
uniform vec2 sun;

void main() {
    vec3 sky = mix(horizon, zenith, smoothstep(0.3, 1.0, vUv.y));
    vec3 color = vUv.y < 0.3 ? mix(ground, horizon * 0.5, vUv.y / 0.3) : sky;
    float glow = exp(-12.0 * distance(vUv, sun));
    gl_FragColor = vec4(color + glow * vec3(1.0, 0.8, 0.5), 1.0);
}
