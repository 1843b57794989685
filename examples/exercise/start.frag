precision highp float;
uniform vec2 resolution;

void main() {
    vec2 at = gl_FragCoord.xy / resolution - 0.5;
    // Which points are in the disc?
    gl_FragColor = vec4(at + 0.5, 0.0, 1.0);
}
