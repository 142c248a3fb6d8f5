//! Stopping the world at a step.

use std::cell::RefCell;

type Hook = Box<dyn FnMut(&'static str)>;

thread_local! {
    static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
}

/// From now on, on this thread, every step calls this; the steps within it do not.
pub(super) fn at_each(hook: impl FnMut(&'static str) + 'static) {
    HOOK.with(|slot| *slot.borrow_mut() = Some(Box::new(hook)));
}

/// The first time this step is reached, this happens.
pub(super) fn once_at(name: &'static str, what: impl FnOnce() + 'static) {
    let mut what = Some(what);
    at_each(move |step| {
        if step == name
            && let Some(what) = what.take()
        {
            what();
        }
    });
}

/// No more hooks.
pub(super) fn none() {
    HOOK.with(|slot| *slot.borrow_mut() = None);
}

pub(in crate::journal::lock) fn reached(name: &'static str) {
    let hook = HOOK.with(|slot| slot.borrow_mut().take());
    if let Some(mut hook) = hook {
        hook(name);
        HOOK.with(|slot| *slot.borrow_mut() = Some(hook));
    }
}
