precision highp float;
uniform vec2 resolution;

void main() {
    vec2 at = gl_FragCoord.xy / resolution - 0.5;
    float inside = step(length(at), 0.3);
    gl_FragColor = vec4(vec3(inside), 1.0);
}
