import { type MouseEvent, type ReactNode, type ToggleEvent, useEffect, useId, useRef } from 'react'

const GAP = 4

/**
 * A button that opens a few links and buttons. The browser does the hard part: Escape and a click outside
 * close it, and the focus moves from the button into it and back.
 */
export function Menu({
  button,
  className,
  children,
}: {
  /** The content of the button. */
  readonly button: ReactNode
  readonly className: string
  readonly children: ReactNode
}) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const close = () => menu.current?.hidePopover()
  useEffect(() => {
    // It does not move after opening, so it cannot follow the button.
    addEventListener('resize', close)
    addEventListener('scroll', close, { passive: true })
    return () => {
      removeEventListener('resize', close)
      removeEventListener('scroll', close)
    }
  }, [])
  const closeFor = ({ target }: MouseEvent) => {
    if ((target as Element).closest('a, button')) close()
  }
  const place = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState === 'open' && opener.current) putBeside(event.currentTarget, opener.current)
  }
  return (
    <>
      <button ref={opener} type="button" className={className} popoverTarget={id}>
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its links and buttons close it, also by the keyboard. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above. */}
      <div ref={menu} id={id} popover="auto" className="menu" onToggle={place} onClick={closeFor}>
        {children}
      </div>
    </>
  )
}

/** Places it below the button or, if there is no room, above it; never beyond the edges of the window. */
function putBeside(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const isLow = bottom + GAP + height > innerHeight
  const isFar = left + width > innerWidth || getComputedStyle(menu).direction === 'rtl'
  menu.style.top = `${Math.max(GAP, isLow ? top - GAP - height : bottom + GAP)}px`
  menu.style.left = `${Math.max(GAP, isFar ? right - width : left)}px`
}
