// ES 1.00, 8.4: length, distance, dot, normalize, cross, faceforward, reflect, refract.
// value: 5 11 1 -1
// set v = 3 4
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    vec3 c = cross(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0));
    gl_FragColor = vec4(length(v), dot(v, vec2(1.0, 2.0)), c.z, reflect(vec2(0.0, 1.0), vec2(0.0, 1.0)).y);
}
