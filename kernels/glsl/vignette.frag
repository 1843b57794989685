// Darker corners, film grain and a shift of the colours, as post-processing has them.
precision highp float;
varying vec2 vUv;
uniform sampler2D tDiffuse;
uniform struct Lens { float offset; float darkness; float shift; } lens;

void main() {
    vec2 d = (vUv - 0.5) * lens.shift;
    vec3 color = vec3(texture2D(tDiffuse, vUv + d).r, texture2D(tDiffuse, vUv).g, texture2D(tDiffuse, vUv - d).b); // allow(clamped-fetch)
    vec2 uv = (vUv - vec2(0.5)) * vec2(lens.offset);
    color = mix(color, vec3(1.0 - lens.darkness), dot(uv, uv));
    float grain = fract(sin(dot(vUv, vec2(12.9898, 78.233))) * 43.758);
    gl_FragColor = vec4(color + (grain - 0.5) * 0.08, 1.0);
}
