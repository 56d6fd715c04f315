class zoo::keeper { notify { "keeper of tier ${tier}": } }
