const PATHS = {
  menu: 'M2.5 5h13M2.5 9h13M2.5 13h13',
  close: 'm5 5 8 8m0-8-8 8',
  check: 'm4 9.5 3.2 3.2L14 5.8',
} as const

/** A small picture that says nothing by itself: what it stands in has the words. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 18 18" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
