// A turn of the hue by a matrix, and a cut-out of dark elements.
precision mediump float;
varying vec2 vUv;
uniform sampler2D tDiffuse;
uniform mat3 turn;
uniform float threshold;

void main() {
    vec3 color = texture2D(tDiffuse, vUv).rgb;
    if (dot(color, vec3(0.299, 0.587, 0.114)) < threshold) discard;
    gl_FragColor = vec4(turn * color, 1.0);
}
