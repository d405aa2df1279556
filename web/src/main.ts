import { mount } from 'svelte';
// The base comes first, so that components can overrule it.
import './theme.css';
import './base.css';
import App from './App.svelte';
import { applyTheme, storedTheme } from './theme';
import { takeToken } from './token';

applyTheme(storedTheme());
takeToken();
const target = document.getElementById('app');
if (target) mount(App, { target });
