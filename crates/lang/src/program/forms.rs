//! Forms that higher layers derive from a program, made once and dropped with it.

use parking_lot::Mutex;
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// The parameters of a form besides the program and its type.
pub type Key = (u128, bool);

/// A derived form: its type and key, and the form.
type Form = ((TypeId, Key), Arc<dyn Any + Send + Sync>);

/// The forms of a program, the most recently made one last. They do not count when programs are
/// compared or cloned, because they follow from the rest.
#[derive(Default)]
pub(super) struct Forms(Mutex<Vec<Form>>);

impl Forms {
    /// The most forms that are kept. Most programs have two.
    pub(super) const MOST: usize = 16;

    fn find<T: Any + Send + Sync>(&self, key: Key) -> Option<Arc<T>> {
        let forms = self.0.lock();
        let (_, form) = forms.iter().find(|(known, _)| *known == (TypeId::of::<T>(), key))?;
        form.clone().downcast().ok()
    }

    /// The form with this type and key. `make` runs without the lock, so it may ask for other
    /// forms; two threads may make the same form.
    pub(super) fn get<T: Any + Send + Sync>(&self, key: Key, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(form) = self.find(key) {
            return form;
        }
        let made = Arc::new(make());
        let mut forms = self.0.lock();
        if forms.len() >= Forms::MOST {
            forms.remove(0);
        }
        forms.push(((TypeId::of::<T>(), key), made.clone()));
        made
    }
}

impl Clone for Forms {
    fn clone(&self) -> Forms {
        Forms::default()
    }
}

impl PartialEq for Forms {
    fn eq(&self, _: &Forms) -> bool {
        true
    }
}

impl Eq for Forms {}

impl fmt::Debug for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} forms", self.0.lock().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_made_once_for_each_type_and_key() {
        let forms = Forms::default();
        let first = forms.get((1, false), || 10u32);
        assert!(Arc::ptr_eq(&first, &forms.get((1, false), || 11u32)));
        assert_eq!(*forms.get((2, false), || 12u32), 12);
        assert_eq!(*forms.get((1, false), || 13u64), 13);
        assert_eq!(*forms.get((1, true), || 14u32), 14);
        assert_eq!(forms.0.lock().len(), 4);
    }

    #[test]
    fn old_forms_make_room() {
        let forms = Forms::default();
        let first = forms.get((0, true), || 0u32);
        for key in 1..=Forms::MOST as u128 {
            forms.get((key, true), || 0u32);
        }
        assert_eq!(forms.0.lock().len(), Forms::MOST);
        assert!(!Arc::ptr_eq(&first, &forms.get((0, true), || 0u32)));
    }
}
