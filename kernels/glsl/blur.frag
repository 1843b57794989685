// A Gaussian blur of nine elements in one direction.
precision mediump float;
varying vec2 vUv;
uniform sampler2D tDiffuse;
uniform vec2 direction;

void main() {
    vec4 sum = texture2D(tDiffuse, vUv) * 0.2270270270;
    sum += (texture2D(tDiffuse, vUv + direction) + texture2D(tDiffuse, vUv - direction)) * 0.1945945946; // allow(clamped-fetch)
    sum += (texture2D(tDiffuse, vUv + 2.0 * direction) + texture2D(tDiffuse, vUv - 2.0 * direction)) * 0.1216216216; // allow(clamped-fetch)
    sum += (texture2D(tDiffuse, vUv + 3.0 * direction) + texture2D(tDiffuse, vUv - 3.0 * direction)) * 0.0540540541; // allow(clamped-fetch)
    sum += (texture2D(tDiffuse, vUv + 4.0 * direction) + texture2D(tDiffuse, vUv - 4.0 * direction)) * 0.0162162162; // allow(clamped-fetch)
    gl_FragColor = sum;
}
