//! What the machine is, and how busy it is.

use std::fs::read_to_string;

/// Processor, cores and memory, as far as the system says.
pub fn describe() -> String {
    let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_matches([' ', '\t', ':']));
    let memory = field("/proc/meminfo", "MemTotal:")
        .map_or_else(|| "memory unknown".into(), |bytes| format!("{:.1} GB of memory", bytes / 1e9));
    let large = read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    let large = large.split(['[', ']']).nth(1).unwrap_or("unknown").to_owned();
    format!("{}, {} cores, {memory}, large pages: {large}", model.unwrap_or("processor unknown"), cores())
}

/// How many threads there are to use.
pub fn cores() -> usize {
    rayon::current_num_threads()
}

/// How many processes ran or waited in the last minute, on average.
pub fn load() -> String {
    read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
}

/// A field in kB of one of the system's tables, in bytes.
pub fn field(path: &str, name: &str) -> Option<f64> {
    let text = read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0)
}
