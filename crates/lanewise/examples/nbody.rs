//! Bodies that attract each other, on all cores.
//!
//!     cargo run --release -p lanewise --example nbody -- 8192 20
//!
//! moves 8192 bodies by 20 steps, and says how fast that was and how well it kept the energy.

use lanewise::{Kernel, Pod, Program, Result, Scalar, args};
use std::time::Duration;

const SOURCE: &str = "
// The acceleration that the body at `here` has by one with the mass w at `there`, softened where
// they are close.
float3 pull(float3 here, float4 there) {
    const float3 way = there.xyz - here;
    const float inverse = rsqrt(dot(way, way) + SOFTENING * SOFTENING);
    return way * (there.w * inverse * inverse * inverse);
}

kernel void step(global const float4 *from, global float4 *to, global float4 *velocities, float time) {
    const size_t i = get_global_id(0), n = get_global_size(0);
    const float4 own = from[i];
    float3 acceleration = 0;
    for (size_t j = 0; j < n; j++)
        acceleration += pull(own.xyz, from[j]);
    const float3 velocity = velocities[i].xyz + time * acceleration;
    velocities[i].xyz = velocity;
    to[i] = (float4)(own.xyz + time * velocity, own.w);
}

kernel void energy(global const float4 *bodies, global const float4 *velocities, global float *energies) {
    const size_t i = get_global_id(0), n = get_global_size(0);
    const float4 own = bodies[i];
    float potential = 0;
    for (size_t j = 0; j < n; j++) {
        const float3 way = bodies[j].xyz - own.xyz;
        if (j != i)
            potential += bodies[j].w * rsqrt(dot(way, way) + SOFTENING * SOFTENING);
    }
    const float3 velocity = velocities[i].xyz;
    energies[i] = 0.5f * own.w * (dot(velocity, velocity) - potential);
}
";

/// `float4` of OpenCL C, with its alignment.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Float4([f32; 4]);

// SAFETY: four floats, any of which may have any bits.
unsafe impl Pod for Float4 {
    const SCALAR: Option<Scalar> = Some(Scalar::Float);
}

struct Simulation {
    step: Kernel,
    energy: Kernel,
    bodies: Vec<Float4>,
    velocities: Vec<Float4>,
    /// Where a step puts the bodies.
    next: Vec<Float4>,
}

impl Simulation {
    /// So many bodies at rest, spread over a cube, of mass 1 together.
    fn new(count: usize) -> Result<Simulation> {
        let program =
            Program::builder().options("-cl-fast-relaxed-math -D SOFTENING=0.05f").source(SOURCE)?;
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        let mass = 1.0 / count as f32;
        Ok(Simulation {
            step: program.kernel("step")?,
            energy: program.kernel("energy")?,
            bodies: (0..count).map(|_| Float4([random(), random(), random(), mass])).collect(),
            velocities: vec![Float4::default(); count],
            next: vec![Float4::default(); count],
        })
    }

    /// Moves the bodies, and says how long the kernel ran.
    fn step(&mut self, time: f32) -> Result<Duration> {
        let range = [self.bodies.len()];
        let args = args![&self.bodies, &mut self.next, &mut self.velocities, time];
        // SAFETY: there are as many of each as work-items. Work-item i writes to the i-th, which no
        // other accesses.
        let launched = unsafe { self.step.launch(range, args) }?;
        std::mem::swap(&mut self.bodies, &mut self.next);
        Ok(launched.duration)
    }

    fn energy(&self) -> Result<f32> {
        let mut energies = vec![0f32; self.bodies.len()];
        let args = args![&self.bodies, &self.velocities, &mut energies];
        // SAFETY: as in `step`.
        unsafe { self.energy.launch([self.bodies.len()], args) }?;
        Ok(energies.iter().sum())
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(4096), |text| text.parse())?;
    let steps: usize = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let mut simulation = Simulation::new(count)?;
    let before = simulation.energy()?;
    let mut time = Duration::ZERO;
    for _ in 0..steps {
        time += simulation.step(0.001)?;
    }
    let after = simulation.energy()?;
    let pairs = (count * count * steps) as f64;
    println!("{count} bodies, {steps} steps in {time:?}: {:.0} M pairs/s", pairs / time.as_secs_f64() / 1e6);
    println!("energy {before:.6} before, {after:.6} after");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_kept_and_bodies_fall_together() {
        let mut simulation = Simulation::new(500).unwrap();
        let spread = |s: &Simulation| s.bodies.iter().map(|b| b.0[0].abs()).sum::<f32>() / 500.0;
        let (before, wide) = (simulation.energy().unwrap(), spread(&simulation));
        for _ in 0..100 {
            simulation.step(0.002).unwrap();
        }
        let after = simulation.energy().unwrap();
        assert!(before < -0.1 && (after / before - 1.0).abs() < 0.01, "{before} {after}");
        assert!(spread(&simulation) < wide, "{} {wide}", spread(&simulation));
        assert!(simulation.bodies.iter().all(|body| body.0[3] == 1.0 / 500.0));
    }
}
