import { type MouseEvent, useLayoutEffect, useRef } from 'react'
import { Icon } from '../../pieces/icon.js'
import { t } from '../../pieces/language/t.js'
import { BrandLink } from '../../pieces/shell/brand-link.js'
import { Navigation, type NavigationGroup } from './navigation.js'

/**
 * The navigation in a narrow window, over the page. Closed by Escape, its button, a click beside it, or any
 * of its links.
 */
export function Drawer({
  groups,
  close,
}: {
  readonly groups: readonly NavigationGroup[]
  readonly close: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  // Before the link is followed: the next page takes the focus, which it could not do under an open dialog.
  const closeFor = ({ target }: MouseEvent) => {
    const isBeside = target === dialog.current
    if (isBeside || (target as Element).closest('a')) dialog.current?.close()
  }
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-label={t('nav.navigation')}
      onClose={close}
      onClickCapture={closeFor}
    >
      <div className="drawer-body">
        <div className="drawer-head">
          <BrandLink href="/account" />
          <button type="button" className="quiet icon-button" aria-label={t('common.close')} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <Navigation groups={groups} />
      </div>
    </dialog>
  )
}
