//! Waits for a future on this thread.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs a future to its end. The futures of this module are ready at once, or when another thread polls the device.
pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            // Returns at once if the waker was called since the poll.
            Poll::Pending => thread::park(),
        }
    }
}

/// Unparks the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_intrusive::channel::shared::oneshot_channel;

    #[test]
    fn a_value_from_another_thread_arrives() {
        let (sender, receiver) = oneshot_channel::<u32>();
        let other = thread::spawn(move || {
            thread::sleep(std::time::Duration::from_millis(20));
            sender.send(7)
        });
        assert_eq!(block_on(receiver.receive()), Some(7));
        assert!(other.join().is_ok_and(|sent| sent.is_ok()));
    }

    #[test]
    fn a_dropped_sender_ends_the_wait() {
        let (sender, receiver) = oneshot_channel::<u32>();
        let other = thread::spawn(move || drop(sender));
        assert_eq!(block_on(receiver.receive()), None);
        assert!(other.join().is_ok());
    }
}
