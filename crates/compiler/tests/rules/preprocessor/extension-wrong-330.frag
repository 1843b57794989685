// GLSL 3.30, 3.3: `#extension` takes a name, a colon and a behaviour.
#version 330
out vec4 color;
#extension //~ error: expected the name of an extension after `#extension`
#extension GL_OES_standard_derivatives //~ error: expected `:` after the name of an extension
#extension GL_OES_standard_derivatives enable //~ error: expected `:` after the name of an extension
#extension GL_OES_standard_derivatives : //~ error: expected a behaviour after `:`
#extension GL_OES_standard_derivatives : on //~ error: `on` is no behaviour
#extension : enable //~ error: expected the name of an extension after `#extension`
#extension 1 : enable //~ error: expected the name of an extension after `#extension`
#extension all : disable more //~ error: unexpected text after `#extension`

void main() {
    color = vec4(1.0);
}
