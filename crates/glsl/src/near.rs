//! "Did you mean": names that look alike.

/// The name that looks most like one that does not exist, if any is near; of equally near ones the first by letters, since
/// names of scopes come in any order.
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // A long name would cost its square for each name.
    if name.len() > 64 {
        return None;
    }
    let far = 1 + name.len() / 5;
    names
        .filter(|known| known.len().abs_diff(name.len()) <= far)
        .map(|known| (strsim::osa_distance(&known.to_lowercase(), &name.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= far && (*distance < name.len() || *known == name))
        .min()
        .map(|(_, known)| known)
}
