//! A small program, from its graph to its instructions.

use super::*;
use crate::flow::{Block, FlowGraph, Phi};
use crate::graph::{Graph, Rules};
use crate::ir::OutputChannel;
use ctm_base::stop::Stop;
use ctm_lang::program::interface::{Interface, Kind, Output, Scalar, Uniform, Varying};

const SOURCE: &str = "varying vec2 v;
uniform float gain;
void main() {
    float a = gain;
    if (v.x < 0.0) a = 2.0 * v.y;
    gl_FragColor.r = a + 1.0;
}";

/// The program of [`SOURCE`], as a front end makes it.
fn program() -> Ir {
    let mut interface = Interface::default();
    let name = "v".to_string();
    interface.varyings.push(Varying { name, rows: 2, kind: Kind::Float, temp: None });
    let (name, default) = ("gain".to_string(), None);
    let kind = Kind::Float;
    interface.uniforms.push(Uniform { name, kind, columns: 1, rows: 1, default, used: false });
    interface.outputs.push(Output { name: "gl_FragColor".to_string(), slot: 0 });
    let gain = interface.scalar(Scalar::Uniform(0, 0));
    let mut graph = Graph::new(Rules::All);
    let at = |text: &str| SOURCE.find(text).expect("it is in the source") as u32;
    graph.origin = at("gain;\n    if");
    let gain = graph.intern(Op::Uniform(gain), &[]);
    graph.origin = at("if (");
    let [x, y] = [0, 1].map(|n| graph.intern(Op::Input(n), &[]));
    let [zero, one, two] = [0.0, 1.0, 2.0].map(|value| graph.number(value));
    let below = graph.cmp(zero, one, x);
    let product = graph.mul(y, two);
    graph.origin = at("a + 1.0");
    let phi = graph.intern(Op::Phi(0), &[]);
    let sum = graph.add(phi, one);
    graph.settle();
    let block = |end, assignments| Block { assignments, origin: at("if ("), ..Block::new(end) };
    let blocks = vec![
        block(Control::If(below), vec![(0, gain)]),
        block(Control::EndIf, vec![(0, product)]),
        block(Control::Next, Vec::new()),
    ];
    let mut flow = FlowGraph {
        variables: 1,
        vectors: vec![vec![0]],
        phis: vec![Phi { variable: 0, block: 2 }],
        blocks,
        ..Default::default()
    };
    flow.stores.insert((0, 0), at("a = gain"));
    Ir {
        graph,
        flow,
        outputs: vec![OutputChannel { slot: 0, channel: 0, value: sum, origin: at("gl_") }],
        interface,
        variables: Vec::new(),
        stores: Vec::new(),
        registers: None,
    }
}

/// A form of the program.
fn printed(form: Form) -> String {
    let (ir, work) = (program(), Work::new(Stop::never()));
    let schedule = search::best(&ir, false, &work).expect("it fits into the machine");
    print(&ir, &schedule, form, SOURCE, &work).expect("the budget suffices")
}

#[test]
fn the_graph() {
    assert_eq!(
        printed(Form::Graph),
        "\
%0 = uniform gain
%1 = input v.r
%2 = input v.g
%4 = literal 1.0
%5 = literal 2.0
%7 = mul %2, %5                                  # 5
%8 = phi v0 block 2
%9 = add %8, %4                                  # 6
o0.r = %9                                        # 6
"
    );
}

#[test]
fn the_blocks() {
    assert_eq!(
        printed(Form::Blocks),
        "\
%0 = uniform gain
%1 = input v.r
%2 = input v.g
%3 = literal 0.0
%4 = literal 1.0
%5 = literal 2.0
%6 = cmp %3, %4, %1                              # 5
%7 = mul %2, %5                                  # 5
%8 = phi v0 block 2
%9 = add %8, %4                                  # 6
block 0
    v0 = %0
    if %6                                        # 5
block 1
    v0 = %7
    endif                                        # 5
block 2
o0.r = %9                                        # 6
"
    );
}

#[test]
fn code_motion_puts_nodes_into_blocks_and_variables_into_registers() {
    assert_eq!(
        printed(Form::Placed),
        "\
block 0
    %0 = uniform gain
    %1 = input v.r
    v0 in r0.a = %0
    if not %1 >= 0                               # 5
block 1
    %2 = input v.g
    %5 = literal 2.0
    %7 = mul %2, %5                              # 5
    v0 in r0.a = %7
    endif                                        # 5
block 2
    %4 = literal 1.0
    %8 = phi v0 block 2
    %9 = add %8, %4                              # 6
o0.r = %9                                        # 6
"
    );
}

#[test]
fn selection_makes_operations_and_copies() {
    assert_eq!(
        printed(Form::Selected),
        "\
%0 = input v.r
%1 = input v.g
%3 = variable in r0.a
block 0
    2: %5 in r0.a = mad gain, 1.0, -0.0          # 4
    3: %6 = mad %0, 1.0, -0.0 -> condition       # 5
    if not GREATER_EQUAL                         # 5
block 1
    0: %2 in r0.a = mad %1, 2.0, 0.0             # 5
    endif                                        # 5
block 2
    1: %4 = mad %3, 1.0, 1.0 -> o0.r             # 6
"
    );
    assert_eq!(printed(Form::Code), printed(Form::Selected));
}

#[test]
fn the_schedule() {
    assert_eq!(
        printed(Form::Schedule),
        "\
r0 = input v
0: alu r:3 a:2>r1                                # 4
1: if, end of block 0                            # 5
2: alu a:0>r1                                    # 5
3: endif, end of block 1                         # 5
4: alu r:1                                       # 6
"
    );
}
