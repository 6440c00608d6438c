//! Applications to start from, with systems to run them on.

/// A template: an application, a system and an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    pub name: &'static str,
    /// One-line description.
    pub what: &'static str,
    /// The application, a script.
    pub app: &'static str,
    pub system: &'static str,
    /// The experiment that names both.
    pub experiment: &'static str,
}

const GALERA: &str = include_str!("../../templates/systems/galera.toml");
const NAS: &str = include_str!("../../templates/systems/nas.toml");
const ETHERNET: &str = include_str!("../../templates/systems/ethernet.toml");
const CLUSTER: &str = include_str!("../../templates/systems/cluster.toml");
const GPU_CLUSTER: &str = include_str!("../../templates/systems/gpu-cluster.toml");
const TRAINER: &str = include_str!("../../templates/systems/trainer.toml");

macro_rules! template {
    ($name:literal, $system:ident, $what:literal) => {
        Template {
            name: $name,
            what: $what,
            app: include_str!(concat!("../../templates/", $name, "/app.luau")),
            system: $system,
            experiment: include_str!(concat!("../../templates/", $name, "/experiment.toml")),
        }
    };
}

/// All templates. A new one needs a folder and a line.
pub const TEMPLATES: [Template; 19] = [
    template!("master-slave", CLUSTER, "tasks handed out on demand"),
    template!("hierarchical-master-slave", CLUSTER, "a master, group masters, slaves of each"),
    template!("spmd-2d", CLUSTER, "a grid in two dimensions: edges exchanged, norms"),
    template!("spmd-3d", CLUSTER, "a grid in three dimensions, periodic: faces exchanged"),
    template!("divide-and-conquer", CLUSTER, "halved down a binary tree, combined on the way up"),
    template!("dnn-allreduce", GPU_CLUSTER, "data-parallel training, gradients averaged by allreduce"),
    template!("dnn-master", GPU_CLUSTER, "data-parallel training, gradients averaged by a master"),
    template!("training", TRAINER, "a training step on 1,024 accelerators: data, tensor and pipeline parallel"),
    template!("heat", GALERA, "the publication's heat distribution in three dimensions"),
    template!("msort", GALERA, "the publication's merge sort"),
    template!("mslave", ETHERNET, "the publication's similarity search by master and slaves"),
    template!("nas-ep", NAS, "NAS kernel EP: independent work"),
    template!("nas-cg", NAS, "NAS kernel CG: sparse matrix times vector, sums along rows"),
    template!("nas-ft", NAS, "NAS kernel FT: transpositions by alltoall"),
    template!("nas-mg", NAS, "NAS kernel MG: multigrid, faces exchanged at each level"),
    template!("nas-is", NAS, "NAS kernel IS: integers sorted, keys to their places by alltoall"),
    template!("nas-lu", NAS, "NAS application LU: a pipeline of planes"),
    template!("nas-bt", NAS, "NAS application BT: block-tridiagonal solves on a square of processes"),
    template!("nas-sp", NAS, "NAS application SP: pentadiagonal solves on a square of processes"),
];

pub fn find(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.name == name)
}

/// The files of `sim new bsf`, with `@key@` where a number goes.
pub const BSF: Template = Template {
    name: "bsf",
    what: "an algorithm on paper, from a BSF costs file",
    app: include_str!("../../templates/bsf/app.luau"),
    system: include_str!("../../templates/bsf/system.toml"),
    experiment: include_str!("../../templates/bsf/experiment.toml"),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::system::{self, Changes};

    /// P. Czarnul et al., *MERPSYS*, SIMPAT 77, 2017: 104 machines of two quad-core processors. There 7 slaves of the
    /// similarity search compute for 27.3 s.
    #[test]
    fn the_first_testbed_has_two_processors_a_machine() {
        let system = system::read(ETHERNET, "ethernet.toml", Catalogue::builtin(), &Changes::default())
            .map(|read| read.system)
            .expect("a system");
        let cpu = &system.components[system.find("cpu").expect("processors")];
        assert_eq!((cpu.count, cpu.total, cpu.hardware.as_deref()), (2, 208, Some("intel-xeon-e5345")));
        assert_eq!(cpu.attributes.get("cores"), Some(4.0));
        let similarity = system.models.iter().find_map(|model| model.coefficients.get("similarity"));
        let pairs = 100.0 * 100.0 * 1000.0;
        let compute_s = 1275.0 * pairs * similarity.expect("a coefficient").value / 7.0;
        assert!((compute_s - 27.3).abs() < 0.1, "{compute_s}");
        for (text, testbed) in [(ETHERNET, "first testbed"), (GALERA, "second testbed")] {
            assert!(text.lines().next().is_some_and(|line| line.contains(testbed)), "{testbed}");
        }
    }
}
