#version 300 es
// ES 3.00, 3.4: `#extension` takes a name, a colon and a behaviour.
precision highp float;
out vec4 color;
#extension //~ error: expected the name of an extension after `#extension`
#extension GL_OES_standard_derivatives //~ error: expected `:` after the name of an extension
#extension GL_OES_standard_derivatives enable //~ error: expected `:` after the name of an extension
#extension GL_OES_standard_derivatives : //~ error: expected a behaviour after `:`
#extension GL_OES_standard_derivatives : on //~ error: `on` is no behaviour
#extension : enable //~ error: expected the name of an extension after `#extension`
#extension 1 : enable //~ error: expected the name of an extension after `#extension`
#extension all : disable more //~ error: `#extension` after other text

void main() {
    color = vec4(1.0);
}
