/** A promise, and the function that resolves it. */
export function aGate() {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}
