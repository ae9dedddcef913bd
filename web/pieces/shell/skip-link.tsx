/** Past the navigation, for whoever uses the keyboard. */
export function SkipLink() {
  return (
    <a className="skip" href="#content">
      Skip to content
    </a>
  )
}
