# Two clashes: of nodes, then of classes.
node /web/ { }
class role { }
