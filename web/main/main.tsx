import { createRoot } from 'react-dom/client'
import '../styles/site.css'
import { showBrand } from '../pieces/brand.js'
import { App } from './app.js'

showBrand()
createRoot(document.getElementById('app') as HTMLElement).render(<App />)
