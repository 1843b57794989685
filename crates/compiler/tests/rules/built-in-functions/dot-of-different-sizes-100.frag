// ES 1.00, 8.4: Arguments of one function have one size.
#version 100
precision mediump float;
void main() {
    float a = dot(vec2(1.0), vec3(1.0)); //~ error: no function `dot` takes (vec2, vec3)
    float b = distance(vec3(1.0), vec2(1.0)); //~ error: no function `distance` takes (vec3, vec2)
    vec3 c = reflect(vec3(1.0), vec2(1.0)); //~ error: no function `reflect` takes (vec3, vec2)
}
