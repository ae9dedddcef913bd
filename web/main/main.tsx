import { createRoot } from 'react-dom/client'
import '../style.css'
import { App } from './app.js'

createRoot(document.getElementById('app') as HTMLElement).render(<App />)
