/**
 * Rejects when `work` takes longer. After this process was stalled, timers run before the answers that have
 * already arrived are read; those still count.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer in ${milliseconds} ms`))
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
    work.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
