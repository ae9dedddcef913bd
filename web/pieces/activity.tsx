import {
  createContext,
  type EffectCallback,
  type ReactNode,
  use,
  useEffect as useEffectAlways,
  useLayoutEffect as useLayoutEffectAlways,
} from 'react'

const IsShown = createContext(true)

/**
 * Hides `children` without losing what was typed there. Meanwhile their effects are undone, as in React's Activity, which
 * Preact does not have: pages take {@link useEffect} and {@link useLayoutEffect} from here.
 */
export function Activity({ isShown, children }: { readonly isShown: boolean; readonly children: ReactNode }) {
  return (
    <IsShown value={isShown}>
      <div className="activity" hidden={!isShown}>
        {children}
      </div>
    </IsShown>
  )
}

export function useEffect(effect: EffectCallback, needs: readonly unknown[]): void {
  const isShown = use(IsShown)
  useEffectAlways(() => (isShown ? effect() : undefined), [isShown, ...needs])
}

/** Before the browser paints. */
export function useLayoutEffect(effect: EffectCallback, needs: readonly unknown[]): void {
  const isShown = use(IsShown)
  useLayoutEffectAlways(() => (isShown ? effect() : undefined), [isShown, ...needs])
}
